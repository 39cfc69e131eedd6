/** How far a long piece of work is: one line that is written over at a terminal, otherwise nothing until it is done. */
import type { Invocation } from './command.ts'

const REDRAW_MS = 200
const CLEAR_TO_END = '\x1b[K'

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), 4)
  return `${(bytes / 1_000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

export class Progress {
  readonly #note: Invocation['note']
  readonly #verb: string
  readonly #total: number | undefined
  readonly #isDrawn: boolean
  readonly #begun = performance.now()
  #drawn = 0
  #rows = 0
  #bytes = 0

  /** `total`: bytes, where they are known. */
  constructor(note: Invocation['note'], verb: string, total?: number) {
    this.#note = note
    this.#verb = verb
    this.#total = total
    this.#isDrawn = process.stderr.isTTY === true
  }

  readonly add = (rows: number, bytes: number): void => {
    this.#rows += rows
    this.#bytes += bytes
    if (!this.#isDrawn || performance.now() - this.#drawn < REDRAW_MS) return
    this.#drawn = performance.now()
    const percent = this.#total ? `${Math.floor((100 * this.#bytes) / this.#total)} %, ` : ''
    this.#note(`${this.#verb}: ${percent}${this.#figures()}${CLEAR_TO_END}\r`)
  }

  /** Instead of the line that was written over. */
  end(sentence: string): void {
    this.#note(`${this.#isDrawn ? `\r${CLEAR_TO_END}` : ''}${sentence}: ${this.#figures()}.`)
  }

  #figures(): string {
    const seconds = (performance.now() - this.#begun) / 1000
    const rate = seconds < 1 ? '' : `, ${formatBytes(Math.round(this.#bytes / seconds))}/s`
    return `${formatCount(this.#rows)} rows, ${formatBytes(this.#bytes)}${rate}`
  }
}
