/** Shows the progress of a move, weighted by the sizes of the source's tables. */
import type { TableSize } from '../../storage/move/table-sizes.ts'
import type { Invocation } from '../common/command.ts'
import { Progress } from '../common/progress.ts'

export class MoveProgress {
  readonly #note: Invocation['note']
  readonly #sizes: ReadonlyMap<string, TableSize>
  readonly #totalBytes: number
  readonly #progress: Progress
  #currentTable: TableSize | undefined
  #copiedRows = 0
  #completedBytes = 0

  constructor(note: Invocation['note'], sizes: ReadonlyMap<string, TableSize>, options: { isTerminal?: boolean } = {}) {
    this.#note = note
    this.#sizes = sizes
    this.#totalBytes = [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    this.#progress = new Progress(note, 'Copying', undefined, {
      isLong: true,
      computeShare: () => this.#computeShare(),
      ...options,
    })
  }

  readonly beginTable = (name: string): void => {
    this.#completedBytes += this.#currentTable?.bytes ?? 0
    this.#currentTable = this.#sizes.get(name)
    this.#copiedRows = 0
    this.#progress.setVerb(`Copying ${name}`)
  }

  readonly add = (rows: number, bytes: number): void => {
    this.#copiedRows += rows
    this.#progress.add(rows, bytes)
  }

  /** Call it when all rows are in the target. Only the check of the foreign keys by PostgreSQL remains. */
  readonly complete = (): void => {
    this.#progress.setVerb('Copied')
    this.#progress.end('Copied and compared')
    this.#note('Checking foreign keys…')
  }

  /** Weighs tables by their bytes. Within a table it counts rows, because they have similar sizes. */
  #computeShare(): number {
    if (this.#totalBytes === 0) return 0
    const { rows = 0, bytes = 0 } = this.#currentTable ?? {}
    const currentBytes = rows === 0 ? 0 : bytes * Math.min(1, this.#copiedRows / rows)
    return (this.#completedBytes + currentBytes) / this.#totalBytes
  }
}
