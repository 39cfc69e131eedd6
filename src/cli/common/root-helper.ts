/**
 * Starts a shell that keeps the rights of root while this process switches to the user who owns the data folder. In a
 * folder that this user can't write to, the shell gives a complete file or folder its final name, and removes an
 * incomplete one. It never uses the data folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { StartupError } from '../../lib/startup-error.ts'
import { SYSTEM_PATH } from '../../lib/system-path.ts'

const EXISTS_EXIT_CODE = 17

/**
 * The first argument of the script is the temporary name, and the second one is the final name, both in the working
 * folder. A file system without hard links, such as that of a USB stick, makes `ln` fail although the name is free.
 * `is_name` keeps an attacker who controls this process from reaching files outside the temporary folder. The script
 * removes an incomplete file or folder when its input ends, even if Belfry was killed.
 */
const SCRIPT = `
place() {
  case "$1" in
    replace) mv -fT -- "$2" "$3" ;;
    link) ln -T -- "$2" "$3" 2>/dev/null || { check "$3" && mv -T -- "$2" "$3"; } ;;
    folder) check "$3" && mv -T -- "$2" "$3" ;;
  esac
}
is_name() { case "$1" in '' | .* | */*) return 1 ;; esac; }
check() { if [ -e "$1" ] || [ -L "$1" ]; then exit ${EXISTS_EXIT_CODE}; fi; }
trap 'rm -rf -- "$temporary"' EXIT
temporary=$1
while read -r action from to; do
  case "$action" in
    rename) is_name "$from" && is_name "$to" || { echo "unexpected name" >&2; exit 1; }
       mv -T -- "$1/$from" "$1/$to" || exit 1 ;;
    *) place "$action" "$1" "$2" || exit 1
       sync . 2>/dev/null || :
       exit 0 ;;
  esac
done
`

export class RootHelper {
  readonly #child: ChildProcess
  readonly #exited: Promise<number | null>
  readonly #folder: string
  #errors = ''

  constructor(folder: string, temporaryName: string, name: string) {
    this.#folder = folder
    this.#child = spawn('sh', ['-c', SCRIPT, 'sh', temporaryName, name], {
      cwd: folder,
      env: { PATH: SYSTEM_PATH, LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'pipe'],
      // Ctrl-C in the terminal must not end the script before it has removed the file.
      detached: true,
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text))
    this.#child.stdin?.on('error', () => {})
    this.#exited = once(this.#child, 'close').then(
      ([code]) => code,
      (error: Error) => {
        this.#errors = error.message
        return null
      },
    )
  }

  /** Gives a file in the temporary folder another name. Neither name contains spaces or slashes, or starts with a dot. */
  rename(from: string, to: string): void {
    this.#child.stdin?.write(`rename ${from} ${to}\n`)
  }

  /** `replace` overwrites an existing file, `link` and `folder` don't. */
  async finish(action: 'replace' | 'link' | 'folder'): Promise<'done' | 'exists'> {
    this.#child.stdin?.end(`${action}\n`)
    const code = await this.#exited
    if (code === 0) return 'done'
    if (code === EXISTS_EXIT_CODE) return 'exists'
    throw new StartupError(
      `Can't write to ${this.#folder}: ${this.#errors.trim() || `exit code ${code}`}.`,
      'Choose another path. No partial file was left.',
    )
  }

  /** Removes the file or folder if it is incomplete. */
  async close(): Promise<void> {
    this.#child.stdin?.end()
    await this.#exited
  }
}
