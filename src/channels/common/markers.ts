/**
 * The symbol, word and color by which people recognize what a message is about. A kind of channel uses those that its
 * service can show.
 */
import type { MailTone } from '../../mail/parts.ts'

interface Marker {
  symbol: string
  /** Every title starts with this word, so a phone that shows only the start of a title still shows the state. */
  word: string
  tone: MailTone
}

export const markers = {
  down: { symbol: '🔴', word: 'Down', tone: 'down' },
  recovered: { symbol: '🟢', word: 'Recovered', tone: 'up' },
  reminder: { symbol: '⏰', word: 'Still down', tone: 'reminder' },
  certificate: { symbol: '🔒', word: 'Certificate', tone: 'warn' },
  spike: { symbol: '📈', word: 'Traffic spike', tone: 'info' },
  // The symbol of a test is part of its title and depends on the kind of channel: see `testEmoji`.
  test: { symbol: '', word: 'Test notification', tone: 'accent' },
} as const satisfies Record<string, Marker>

export type MessageKind = keyof typeof markers

/**
 * The words for a website whose visits have stopped. They replace those of `markers`, because the website itself may be
 * up.
 */
export const silenceWords = {
  down: 'No visits',
  recovered: 'Visits are back',
  reminder: 'Visits still missing',
} as const
