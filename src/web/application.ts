/** The web application as this server has it: built, being built, or not there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Edition, findEdition, findStamp, type WebFile } from './edition.ts'
import type { Shell } from './shell.ts'

const root = join(import.meta.dirname, '..', '..')
const script = join(root, 'scripts', 'build-web.ts')
export const builtFolder = join(root, 'web', 'dist')

/** Of what a failed build says; the rest is for whoever tries it by hand. */
const SAID_MOST = 300

export class WebApplication {
  readonly #folder: string
  readonly #log: Logger
  #edition: Edition | undefined
  #build: ChildProcess | undefined

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Where nobody has built it (`npm ci --ignore-scripts`), it is built now, beside everything else. */
  async open(): Promise<void> {
    await this.#refresh()
    if (this.#edition === undefined) this.#startBuild()
  }

  get isBeingBuilt(): boolean {
    return this.#build !== undefined
  }

  async findShell(): Promise<Shell | undefined> {
    await this.#refresh()
    return this.#edition?.shell
  }

  async findFile(name: string): Promise<WebFile | undefined> {
    const known = this.#edition?.files.get(name)
    // One whose name stays may be another by now, of another length.
    if (known !== undefined && known.tag === undefined) return known
    await this.#refresh()
    return this.#edition?.files.get(name)
  }

  /** A new build is taken as soon as somebody asks: the files of the one before are gone. */
  async #refresh(): Promise<void> {
    try {
      const stamp = await findStamp(this.#folder)
      if (stamp === undefined || stamp === this.#edition?.stamp) return
      this.#edition = await findEdition(this.#folder)
    } catch {
      // One build was just taking the place of another. Whoever asks next finds it.
    }
  }

  #startBuild(): void {
    this.#log.info({}, 'the web application is not built yet; building it, which takes a few seconds')
    // In a process of its own: what building needs of memory is given back.
    const child = spawn(process.execPath, [script, this.#folder], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#build = child
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(0, SAID_MOST)
    })
    const end = (code: number | null) => {
      if (this.#build !== child) return
      this.#build = undefined
      if (code === 0) this.#log.info({}, 'the web application is built')
      else this.#log.warn({ said }, 'the web application could not be built; the API works without. Try: npm run build')
    }
    child.on('error', () => end(null))
    child.on('close', end)
  }

  close(): void {
    const child = this.#build
    this.#build = undefined
    child?.kill()
  }
}
