/**
 * A folder of files that appears under its name only when its contents are complete and on disk. Removes an incomplete
 * folder on Ctrl-C.
 */
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createTemporaryPath, explainWriteError, syncFolder } from '../../lib/atomic-file.ts'
import { Problem } from '../../lib/problem.ts'
import { onInterrupt } from './interrupts.ts'
import { RootHelper } from './root-helper.ts'

export class OpenTargetFolder<Name extends string> {
  readonly path: string
  /** One open file for each name. */
  readonly files: ReadonlyMap<Name, FileHandle>
  readonly #temporaryPath: string
  readonly #helper: RootHelper | undefined
  readonly #removeCleanup: () => void

  /** If `losesRights` is true, this process is root now, but no longer root when the folder is complete. */
  static async open<Name extends string>(
    path: string,
    names: readonly Name[],
    losesRights: boolean,
  ): Promise<OpenTargetFolder<Name>> {
    if ((await stat(path).catch(() => undefined)) !== undefined) throw folderExistsProblem(path)
    const temporaryPath = createTemporaryPath(path)
    const files = new Map<Name, FileHandle>()
    try {
      await mkdir(temporaryPath, { mode: 0o700 })
      for (const name of names) files.set(name, await open(join(temporaryPath, name), 'wx', 0o600))
    } catch (error) {
      for (const file of files.values()) await file.close()
      await rm(temporaryPath, { recursive: true, force: true })
      throw explainWriteError(error, path)
    }
    const helper = losesRights ? new RootHelper(dirname(path), basename(temporaryPath), basename(path)) : undefined
    return new OpenTargetFolder(path, files, temporaryPath, helper)
  }

  private constructor(
    path: string,
    files: ReadonlyMap<Name, FileHandle>,
    temporaryPath: string,
    helper: RootHelper | undefined,
  ) {
    this.path = path
    this.files = files
    this.#temporaryPath = temporaryPath
    this.#helper = helper
    this.#removeCleanup = onInterrupt(() => this.#remove())
  }

  /** Gives the complete files and the folder their final names. */
  async finish(formatName: (name: Name) => string): Promise<void> {
    try {
      for (const [name, file] of this.files) {
        await file.sync()
        if (this.#helper !== undefined) this.#helper.rename(name, formatName(name))
        else await rename(join(this.#temporaryPath, name), join(this.#temporaryPath, formatName(name)))
      }
      if (this.#helper !== undefined) {
        if ((await this.#helper.finish('folder')) === 'exists') throw folderExistsProblem(this.path)
        return
      }
      await syncFolder(this.#temporaryPath)
      await rename(this.#temporaryPath, this.path)
      await syncFolder(dirname(this.path))
    } catch (error) {
      throw explainWriteError(error, this.path)
    }
  }

  /** Removes the folder unless it is complete. */
  async close(): Promise<void> {
    for (const file of this.files.values()) await file.close().catch(() => {})
    await this.#remove()
    this.#removeCleanup()
  }

  async #remove(): Promise<void> {
    if (this.#helper === undefined) await rm(this.#temporaryPath, { recursive: true, force: true })
    else await this.#helper.close()
  }
}

const folderExistsProblem = (path: string) => new Problem('conflict', `${path} already exists. Choose another name.`)
