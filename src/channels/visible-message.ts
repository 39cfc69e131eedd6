/** Removes from a message what readers can't see, so that names of monitors can't change how the rest of a message looks. */
import type { ChannelMessage, MessageSummary, SummaryEntry } from './common/channel.ts'

/**
 * Zero-width characters hide parts of a name, and direction marks reverse the text after them. The joiners U+200C and U+200D stay,
 * because some scripts and emoji need them.
 */
const hiddenCharacters =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g

const removeHidden = (text: string) => text.replace(hiddenCharacters, '')
const toLine = (text: string) => removeHidden(text).replace(/[\s\p{Cc}]+/gu, ' ')

function toVisibleSummary(summary: MessageSummary): MessageSummary {
  const toVisibleEntry = (entry: SummaryEntry) => ({ ...entry, name: toLine(entry.name), detail: toLine(entry.detail) })
  return {
    ...summary,
    sections: summary.sections.map(({ state, entries }) => ({ state, entries: entries.map(toVisibleEntry) })),
  }
}

/** Keeps `subject` as it is, because programs need exact values. */
export function toVisibleMessage(message: ChannelMessage): ChannelMessage {
  const { title, alert, text, summary, facts } = message
  return {
    ...message,
    title: toLine(title),
    ...(alert !== undefined && { alert: { state: toLine(alert.state), monitorName: toLine(alert.monitorName) } }),
    ...(text !== undefined && { text: removeHidden(text) }),
    ...(summary !== undefined && { summary: toVisibleSummary(summary) }),
    ...(facts !== undefined && { facts: facts.map((fact) => ({ ...fact, value: toLine(fact.value) })) }),
  }
}
