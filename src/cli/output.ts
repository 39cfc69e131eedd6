/** Where commands print: results to standard output, progress and remarks to standard error. */
import type { Invocation } from './command.ts'

/** An output stream of the process. Tests pass their own, which only write. */
export interface OutputStream {
  write(text: string): unknown
  on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
}

interface Streams {
  stdout: OutputStream
  stderr: OutputStream
}

export type Output = Pick<Invocation, 'out' | 'note'>

/** Nobody reads the output anymore: the reader, such as `head`, has exited (EPIPE), or the terminal was closed (EIO). */
const readerGoneCodes = ['EPIPE', 'EIO']

/**
 * Without listeners for errors, a failed write would end the process in the middle of its work with a stack trace. Calls
 * `onLoss` if output is lost that somebody wants to read, for example because the disk is full.
 */
export function createOutput({ stdout, stderr }: Streams, onLoss: () => void = () => {}): Output {
  stderr.on?.('error', () => {})
  let isLost = false
  stdout.on?.('error', ({ code = '', message }) => {
    if (isLost || readerGoneCodes.includes(code)) return
    isLost = true
    stderr.write(`The output is incomplete: ${message}\n`)
    onLoss()
  })
  return {
    out: (text) => void stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    note: (text) => void stderr.write(text.endsWith('\n') || text.endsWith('\r') ? text : `${text}\n`),
  }
}
