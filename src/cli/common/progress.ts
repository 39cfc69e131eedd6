/**
 * Shows the progress of a long operation. In a terminal it redraws one line. Outside a terminal it prints the final
 * line, and on request a line every few seconds.
 * Progress bar libraries need a known total. A backup has none, so this class counts rows and bytes instead.
 */
import { formatBytes, formatCount, formatDuration } from '../../lib/format.ts'
import type { Invocation } from './command.ts'

const REDRAW_INTERVAL_MS = 200
const CLEAR_TO_END = '\x1b[K'
const BAR_WIDTH = 20
const LINE_INTERVAL_MS = 5_000
/** Until this share of the work is done, estimates of the remaining time would vary too much. */
const MIN_ESTIMATED_SHARE = 0.02

interface ProgressOptions {
  /** The noun for rows, such as `events`. */
  unit?: string
  /** The completed share, from 0 to 1, if it is known. */
  computeShare?: ((rows: number, bytes: number) => number) | undefined
  /** Whether to show the remaining time, too, and to print a line every few seconds outside a terminal. */
  isLong?: boolean
  isTerminal?: boolean
}

export class Progress {
  readonly #note: Invocation['note']
  readonly #isLong: boolean
  #verb: string
  readonly #unit: string
  readonly #computeShare: ProgressOptions['computeShare']
  readonly #isTerminal: boolean
  readonly #startedAt = performance.now()
  #drawnAt = Number.NEGATIVE_INFINITY
  #rows = 0
  #bytes = 0

  constructor(
    note: Invocation['note'],
    verb: string,
    totalBytes?: number,
    { unit = 'rows', computeShare, isLong = false, isTerminal = process.stderr.isTTY === true }: ProgressOptions = {},
  ) {
    this.#note = note
    this.#verb = verb
    this.#unit = unit
    this.#computeShare = computeShare ?? (totalBytes ? (_rows, bytes) => bytes / totalBytes : undefined)
    this.#isLong = isLong
    this.#isTerminal = isTerminal
    // Outside a terminal, the first line follows after one interval, so a short operation prints no progress.
    if (!isTerminal) this.#drawnAt = performance.now()
  }

  /** Says what happens now, such as `Copying events`. */
  setVerb(verb: string): void {
    this.#verb = verb
  }

  readonly add = (rows: number, bytes: number): void => {
    this.#rows += rows
    this.#bytes += bytes
    if (!this.#isTerminal && !this.#isLong) return
    if (performance.now() - this.#drawnAt < (this.#isTerminal ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) return
    this.#drawnAt = performance.now()
    const share = this.#computeShare?.(this.#rows, this.#bytes)
    this.#note(this.#isTerminal ? `${this.#formatLine(share)}\r` : this.#formatPlainLine(share))
  }

  /**
   * Redraws the progress line with a full bar and keeps it. The line on the screen may be 200 ms old, and its share may
   * be an estimate.
   */
  complete(): void {
    if (this.#isTerminal) this.#note(this.#formatLine(this.#computeShare && 1))
  }

  /** Prints the result: below the completed bar, or instead of a progress line that has no bar. */
  end(result: string): void {
    if (this.#computeShare !== undefined) this.complete()
    else if (this.#isTerminal) this.#note(`\r${CLEAR_TO_END}\r`)
    this.#note(`${result}: ${this.#formatAmounts()}.`)
  }

  #formatLine(share: number | undefined): string {
    const bar = share === undefined ? '' : `${drawBar(share)}, `
    return `${this.#verb}: ${bar}${this.#formatAmounts()}${this.#formatRemaining(share)}${CLEAR_TO_END}`
  }

  #formatPlainLine(share: number | undefined): string {
    const percentage = share === undefined ? '' : `${formatPercentage(share)}, `
    return `${this.#verb}: ${percentage}${this.#formatAmounts()}${this.#formatRemaining(share)}`
  }

  #formatRemaining(share: number | undefined): string {
    if (!this.#isLong || share === undefined || share < MIN_ESTIMATED_SHARE || share >= 1) return ''
    const elapsedMs = performance.now() - this.#startedAt
    return `, about ${formatDuration(elapsedMs / share - elapsedMs)} left`
  }

  #formatAmounts(): string {
    const seconds = (performance.now() - this.#startedAt) / 1000
    const rows = `${formatCount(this.#rows)} ${this.#unit}`
    if (this.#bytes === 0) return rows
    const rate = seconds < 1 ? '' : `, ${formatBytes(Math.round(this.#bytes / seconds))}/s`
    return `${rows}, ${formatBytes(this.#bytes)}${rate}`
  }
}

function drawBar(share: number): string {
  const filledWidth = Math.floor(BAR_WIDTH * clampShare(share))
  return `${'█'.repeat(filledWidth)}${'░'.repeat(BAR_WIDTH - filledWidth)} ${formatPercentage(share)}`
}

const clampShare = (share: number) => Math.min(1, Math.max(0, share))
const formatPercentage = (share: number) => `${Math.floor(100 * clampShare(share))} %`
