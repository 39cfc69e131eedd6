/** Structured lines for machines; short ones for a person at a terminal. */
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import type { LogLevel } from '../config.ts'

export function createLog(
  level: LogLevel,
  destination: NodeJS.WriteStream | DestinationStream = process.stdout,
): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    // A second net: nothing should log these in the first place.
    redact: ['password', '*.password', 'token', '*.token', 'authorization', '*.authorization', 'cookie', '*.cookie'],
  }
  if ('isTTY' in destination && destination.isTTY)
    return pino(options, { write: (line) => destination.write(readable(line)) })
  return pino(options, destination)
}

function readable(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line)
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`
  return `${String(time).slice(11, 19)} ${level === 'info' ? '' : `${level} `}${msg ?? ''} ${details.join(' ')}${stack}\n`
}
