/** Where commands print: results to standard output, progress and remarks to standard error. */
import type { Invocation } from './command.ts'

/** An output stream of the process. Tests pass objects that have only `write`. */
export interface OutputStream {
  isTTY?: boolean
  write(text: string, callback?: (error?: NodeJS.ErrnoException | null) => void): unknown
  on?(event: 'error', listener: () => void): unknown
}

interface Streams {
  stdout: OutputStream
  stderr: OutputStream
}

export type Output = Pick<Invocation, 'out' | 'note'>

/**
 * Calls `onLoss` if output can't be written although somebody wants to read it, for example because the disk is full.
 */
export function createOutput({ stdout, stderr }: Streams, onLoss: () => void): Output {
  // Without listeners for errors, a failed write would end the process in the middle of its work with a stack trace.
  for (const stream of [stdout, stderr]) stream.on?.('error', () => {})
  let hasFailed = false
  const checkWrite = (error?: NodeJS.ErrnoException | null) => {
    // Only the first error counts, because Node rejects all writes after it.
    if (!error || hasFailed) return
    hasFailed = true
    // Nobody reads the output: the reader, such as `head`, has exited (EPIPE), or the terminal was closed (EIO).
    if (error.code === 'EPIPE' || (error.code === 'EIO' && stdout.isTTY === true)) return
    stderr.write(`The output is incomplete: ${error.message}\n`)
    onLoss()
  }
  return {
    out: (text) => void stdout.write(text.endsWith('\n') ? text : `${text}\n`, checkWrite),
    note: (text) => void stderr.write(text.endsWith('\n') || text.endsWith('\r') ? text : `${text}\n`),
  }
}
