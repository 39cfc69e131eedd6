/** How far a long piece of work is: one line that is written over at a terminal, otherwise nothing until it is done. */
import { formatCount } from '../lib/numbers.ts'
import type { Invocation } from './command.ts'

const REDRAW_MS = 200
const CLEAR_TO_END = '\x1b[K'
const BAR_WIDTH = 20

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  return `${(bytes / 1_000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

interface ProgressOptions {
  /** What rows are called. */
  unit?: string
  /** How far it is, from 0 to 1, where that is known. */
  shareOf?: ((rows: number, bytes: number) => number) | undefined
}

export class Progress {
  readonly #note: Invocation['note']
  readonly #verb: string
  readonly #unit: string
  readonly #shareOf: ProgressOptions['shareOf']
  readonly #isDrawn: boolean
  readonly #begun = performance.now()
  #drawn = Number.NEGATIVE_INFINITY
  #rows = 0
  #bytes = 0

  /** `total`: bytes, where they are known. */
  constructor(
    note: Invocation['note'],
    verb: string,
    total?: number,
    { unit = 'rows', shareOf }: ProgressOptions = {},
  ) {
    this.#note = note
    this.#verb = verb
    this.#unit = unit
    this.#shareOf = shareOf ?? (total ? (_rows, bytes) => bytes / total : undefined)
    this.#isDrawn = process.stderr.isTTY === true
  }

  readonly add = (rows: number, bytes: number): void => {
    this.#rows += rows
    this.#bytes += bytes
    if (!this.#isDrawn || performance.now() - this.#drawn < REDRAW_MS) return
    this.#drawn = performance.now()
    const share = this.#shareOf?.(this.#rows, this.#bytes)
    const bar = share === undefined ? '' : `${drawBar(share)}, `
    this.#note(`${this.#verb}: ${bar}${this.#figures()}${CLEAR_TO_END}\r`)
  }

  /** Without a word. */
  clear(): void {
    if (this.#isDrawn) this.#note(`\r${CLEAR_TO_END}\r`)
  }

  /** Instead of the line that was written over. */
  end(sentence: string): void {
    this.#note(`${this.#isDrawn ? `\r${CLEAR_TO_END}` : ''}${sentence}: ${this.#figures()}.`)
  }

  #figures(): string {
    const seconds = (performance.now() - this.#begun) / 1000
    const rows = `${formatCount(this.#rows)} ${this.#unit}`
    if (this.#bytes === 0) return rows
    const rate = seconds < 1 ? '' : `, ${formatBytes(Math.round(this.#bytes / seconds))}/s`
    return `${rows}, ${formatBytes(this.#bytes)}${rate}`
  }
}

function drawBar(share: number): string {
  const within = Math.min(1, Math.max(0, share))
  const full = Math.floor(BAR_WIDTH * within)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${Math.floor(100 * within)} %`
}
