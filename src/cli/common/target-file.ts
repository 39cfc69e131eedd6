/** A file that appears under its name only when it is complete and on disk. Removes an incomplete file on Ctrl-C. */
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Writable } from 'node:stream'
import {
  alreadyExistsProblem,
  completeFile,
  createTemporaryPath,
  moveIntoPlace,
  openTemporaryFile,
  removeTemporaryFile,
  type TargetFile,
} from '../../lib/atomic-file.ts'
import { onInterrupt } from './interrupts.ts'
import { RootHelper } from './root-helper.ts'

export class OpenTargetFile {
  readonly #target: TargetFile
  readonly #temporaryPath: string
  readonly #file: FileHandle
  readonly #helper: RootHelper | undefined
  readonly #removeCleanup: () => void

  /** If `losesRights` is true, this process is root now, but no longer root when the file is complete. */
  static async open(target: TargetFile, losesRights: boolean): Promise<OpenTargetFile> {
    const temporaryPath = createTemporaryPath(target.path)
    const file = await openTemporaryFile({ ...target, temporaryPath })
    const helper = losesRights
      ? new RootHelper(dirname(target.path), basename(temporaryPath), basename(target.path))
      : undefined
    return new OpenTargetFile(target, temporaryPath, file, helper)
  }

  private constructor(target: TargetFile, temporaryPath: string, file: FileHandle, helper: RootHelper | undefined) {
    this.#target = target
    this.#temporaryPath = temporaryPath
    this.#file = file
    this.#helper = helper
    this.#removeCleanup = onInterrupt(() => this.#remove())
  }

  async write(write: (to: Writable) => Promise<void>): Promise<void> {
    await completeFile(this.#file, { ...this.#target, temporaryPath: this.#temporaryPath }, write, () =>
      this.#moveIntoPlace(),
    )
  }

  async #moveIntoPlace(): Promise<void> {
    const { path, force } = this.#target
    if (this.#helper === undefined) return moveIntoPlace(this.#temporaryPath, this.#target)
    if ((await this.#helper.finish(force ? 'replace' : 'link')) === 'exists') throw alreadyExistsProblem(path)
  }

  /** Removes the file unless it is complete. */
  async close(): Promise<void> {
    await this.#file.close().catch(() => {})
    await this.#remove()
    this.#removeCleanup()
  }

  async #remove(): Promise<void> {
    if (this.#helper === undefined) await removeTemporaryFile(this.#temporaryPath)
    else await this.#helper.close()
  }
}
