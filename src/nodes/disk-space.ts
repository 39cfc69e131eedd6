/**
 * Whether the disk of the database is nearly full or full. For the embedded PostgreSQL, that is the disk of the data folder. The disk of
 * another PostgreSQL can't be seen from here, so it counts as full for a while after PostgreSQL has refused to write for this reason.
 */
import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'

/**
 * PostgreSQL stops if it can't create the next file of its write-ahead log. Each file has 16 MB. If there is no space
 * for two files, PostgreSQL may stop at any time.
 */
const FULL_BYTES = 32e6
/** Less free space than this counts as low. This is about twice the size of a new database. */
export const MIN_FREE_DISK_BYTES = 200e6
/** Free space that was low counts as enough again only above this limit, so that the state doesn't keep changing. */
const ENOUGH_BYTES = 1.25 * MIN_FREE_DISK_BYTES

export type DiskState = 'enough' | 'low' | 'full'

/** `freeBytes` is undefined if the database uses another disk, or if the disk can't be read. */
export function decideDiskState(
  { freeBytes, isReportedFull }: { freeBytes: number | undefined; isReportedFull: boolean },
  previousState: DiskState,
): DiskState {
  if (isReportedFull) return 'full'
  if (freeBytes === undefined) return 'enough'
  if (freeBytes < FULL_BYTES) return 'full'
  return freeBytes < (previousState === 'enough' ? MIN_FREE_DISK_BYTES : ENOUGH_BYTES) ? 'low' : 'enough'
}

/**
 * Says what is wrong and what to do. The sentence has no figures, so that a page doesn't announce it again whenever the
 * free space changes.
 */
export function describeDisk(state: DiskState, isEmbedded: boolean): string | undefined {
  if (state === 'enough') return undefined
  if (!isEmbedded)
    return 'The disk of the PostgreSQL server is full, so nothing new can be stored. Free some space on that server.'
  return state === 'full'
    ? 'The disk of the data folder is full, so nothing new can be stored. Free some space on it.'
    : 'The disk of the data folder is almost full. When it is full, nothing new can be stored. Free some space on it.'
}

interface Deps {
  config: Pick<Config, 'dataDir' | 'databaseUrl'>
  log: Logger
  /** Whether PostgreSQL recently refused to write because its disk is full. */
  isReportedFull: () => boolean
  /** Tests replace it. */
  readFreeBytes?: (folder: string) => Promise<number>
}

export class DiskSpace {
  readonly #deps: Deps
  readonly #isEmbedded: boolean
  #state: DiskState = 'enough'
  #freeBytes = Number.NaN

  constructor(deps: Deps) {
    this.#deps = deps
    this.#isEmbedded = deps.config.databaseUrl === undefined
  }

  /** Free bytes on the disk of the data folder. NaN if it can't be read. */
  get freeBytes(): number {
    return this.#freeBytes
  }

  get isFull(): boolean {
    return this.#state === 'full'
  }

  /**
   * A sentence about the disk; undefined if there is enough space. The sentence names no path, because anyone can read
   * it at /readyz.
   */
  get problem(): string | undefined {
    return describeDisk(this.#state, this.#isEmbedded)
  }

  async check(): Promise<void> {
    const { config, isReportedFull, readFreeBytes = readFreeDiskBytes } = this.#deps
    this.#freeBytes = await readFreeBytes(config.dataDir).catch(() => Number.NaN)
    const freeBytes = this.#isEmbedded && !Number.isNaN(this.#freeBytes) ? this.#freeBytes : undefined
    const previousState = this.#state
    this.#state = decideDiskState({ freeBytes, isReportedFull: isReportedFull() }, previousState)
    if (this.#state !== previousState) this.#logChange()
  }

  #logChange(): void {
    const { config, log } = this.#deps
    const fields = this.#isEmbedded ? { folder: config.dataDir, freeBytes: this.#freeBytes } : {}
    if (this.problem !== undefined) log.error(fields, this.problem)
    else log.info(fields, 'the disk of the database has enough space again')
  }
}

/** Returns the bytes that this user can still write, without the blocks that are reserved for root. */
export async function readFreeDiskBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
