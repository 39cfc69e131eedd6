/**
 * Shows the progress of a long operation. In a terminal it redraws one line; elsewhere it prints only the final line.
 * Progress bar libraries need a known total. A backup has none, so this class counts rows and bytes instead.
 */
import { formatCount } from '../lib/format.ts'
import type { Invocation } from './command.ts'

const REDRAW_INTERVAL_MS = 200
const CLEAR_TO_END = '\x1b[K'
const BAR_WIDTH = 20

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  return `${(bytes / 1_000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

interface ProgressOptions {
  /** The noun for rows, such as `events`. */
  unit?: string
  /** The completed share, from 0 to 1, if it is known. */
  computeShare?: ((rows: number, bytes: number) => number) | undefined
  isTerminal?: boolean
}

export class Progress {
  readonly #note: Invocation['note']
  readonly #verb: string
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
    { unit = 'rows', computeShare, isTerminal = process.stderr.isTTY === true }: ProgressOptions = {},
  ) {
    this.#note = note
    this.#verb = verb
    this.#unit = unit
    this.#computeShare = computeShare ?? (totalBytes ? (_rows, bytes) => bytes / totalBytes : undefined)
    this.#isTerminal = isTerminal
  }

  readonly add = (rows: number, bytes: number): void => {
    this.#rows += rows
    this.#bytes += bytes
    if (!this.#isTerminal || performance.now() - this.#drawnAt < REDRAW_INTERVAL_MS) return
    this.#drawnAt = performance.now()
    this.#note(`${this.#formatLine(this.#computeShare?.(this.#rows, this.#bytes))}\r`)
  }

  /** Redraws the progress line with a full bar, because the last line may be 200 ms old and its share an estimate. The line stays. */
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
    return `${this.#verb}: ${bar}${this.#formatAmounts()}${CLEAR_TO_END}`
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
  const clampedShare = Math.min(1, Math.max(0, share))
  const filledWidth = Math.floor(BAR_WIDTH * clampedShare)
  return `${'█'.repeat(filledWidth)}${'░'.repeat(BAR_WIDTH - filledWidth)} ${Math.floor(100 * clampedShare)} %`
}
