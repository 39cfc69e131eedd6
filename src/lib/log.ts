/** Structured lines for machines; short ones for a person at a terminal. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Lines wait at most this long, or for this many bytes: a write for each would cost as much as a small request. */
const FLUSH_MS = 500
const FLUSH_BYTES = 4_096

/** The log of a server: standard output, written in batches; a warning or worse goes out at once. */
export function createServerLog(level: LogLevel, stdout: NodeJS.WriteStream = process.stdout): Logger {
  // Whoever read our output may be gone; that is no reason to go too.
  stdout.on('error', () => {})
  if (stdout.isTTY) return createLog(level, stdout)
  let waiting = ''
  const flush = () => {
    if (waiting !== '') stdout.write(waiting)
    waiting = ''
  }
  setInterval(flush, FLUSH_MS).unref()
  process.on('exit', flush)
  return createLog(level, {
    write(line: string) {
      waiting += line
      if (waiting.length >= FLUSH_BYTES || !/^\{"level":"(trace|debug|info)"/.test(line)) flush()
    },
    // For pino, whose loggers can be flushed where their destination can.
    flush,
  } as DestinationStream)
}

export function createLog(level: LogLevel, destination: NodeJS.WriteStream | DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if ('isTTY' in destination && destination.isTTY)
    return pino(options, { write: (line) => destination.write(readable(line)) })
  return pino(options, destination)
}

/**
 * Writes a finished line. pino takes 30 µs for one with a few fields, a third of what a small request costs altogether;
 * the line of every request is put together by hand instead.
 */
export function writeLine(log: Logger, line: string): void {
  ;(log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym as unknown as symbol]?.write(line)
}

function readable(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line)
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return `${String(time).slice(11, 19)} ${level === 'info' ? '' : `${level} `}${msg ?? ''} ${details.join(' ')}${stack}\n`
}
