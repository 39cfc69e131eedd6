/** Loads the built web application, and builds it if necessary. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { isInstalledPackage, packageFolder } from '../lib/package-folder.ts'
import { findBuildStamp, type LoadedWebBuild, readWebBuild, type WebFile } from './build.ts'
import type { Shell } from './shell.ts'

const defaultBuildScript = join(packageFolder, 'scripts', 'build-web.ts')
export const webBuildFolder = join(packageFolder, 'web', 'dist')

/** The log contains this many characters of a failed build's error output. */
const MAX_LOGGED_OUTPUT_LENGTH = 300

export class WebApplication {
  readonly #folder: string
  readonly #buildScript: string
  readonly #log: Logger
  #currentBuild: LoadedWebBuild | undefined
  #buildProcess: ChildProcess | undefined

  constructor(folder: string, log: Logger, buildScript = defaultBuildScript) {
    this.#folder = folder
    this.#buildScript = buildScript
    this.#log = log
  }

  /**
   * If the pages are not built yet, for example after `npm ci --ignore-scripts`, builds them in the background. An installed
   * package contains the pages but nothing to build them with.
   */
  async open(): Promise<void> {
    await this.#refresh()
    if (this.#currentBuild !== undefined) return
    if (isInstalledPackage)
      this.#log.error(
        { folder: this.#folder },
        'the web pages are missing from this installation; the API works without them. Install Belfry again',
      )
    else this.#startBuild()
  }

  get isBeingBuilt(): boolean {
    return this.#buildProcess !== undefined
  }

  async findShell(): Promise<Shell | undefined> {
    await this.#refresh()
    return this.#currentBuild?.shell
  }

  async findFile(name: string): Promise<WebFile | undefined> {
    const file = this.#currentBuild?.files.get(name)
    // A file without an ETag has a hash in its name and never changes, so it needs no refresh.
    if (file !== undefined && file.etag === undefined) return file
    await this.#refresh()
    return this.#currentBuild?.files.get(name)
  }

  /** Loads a new build if there is one. A new build replaces all files of the previous one. */
  async #refresh(): Promise<void> {
    try {
      const stamp = await findBuildStamp(this.#folder)
      if (stamp === undefined || stamp === this.#currentBuild?.stamp) return
      this.#currentBuild = await readWebBuild(this.#folder)
    } catch {
      // A new build is replacing the files at this moment. The next request will load it.
    }
  }

  #startBuild(): void {
    this.#log.info({}, 'the web pages are not built yet; building them takes a few seconds')
    // A separate process frees the memory of the build when it exits. Its own session keeps it away from the terminal, which may be root's.
    const child = spawn(process.execPath, [this.#buildScript, this.#folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    this.#buildProcess = child
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(0, MAX_LOGGED_OUTPUT_LENGTH)
    })
    const finish = (code: number | null) => {
      if (this.#buildProcess !== child) return
      this.#buildProcess = undefined
      if (code === 0) this.#log.info({}, 'the web pages have been built')
      else
        this.#log.warn({ output }, 'the web pages could not be built; the API works without them. Try: npm run build')
    }
    child.on('error', () => finish(null))
    child.on('close', finish)
  }

  close(): void {
    const child = this.#buildProcess
    this.#buildProcess = undefined
    child?.kill()
  }
}
