/** Lists what is missing before the server goes live. The pages show the same list. */
import { toVisibleText } from '../../lib/text.ts'
import type { CommandSettings } from '../../server-settings/command-settings.ts'
import { toGoLiveFacts } from '../../server-settings/describe-settings.ts'
import { type GoLiveItem, listGoLiveItems } from '../../server-settings/go-live.ts'
import { type DoctorDiagnosis, warning } from './diagnosis.ts'

/** These settings can also be changed on a page. */
const keysOnPage: readonly GoLiveItem['key'][] = ['url', 'mail']

/** `mailError` says why the mail server doesn't work now. It replaces the result of the last test email. */
export function listMissingBeforeGoLive(
  { config, sources }: CommandSettings,
  { now, mailError }: { now: Date; mailError: string | undefined },
): string[] {
  const facts = toGoLiveFacts(config, sources, now)
  const mailTest = mailError === undefined ? facts.mailTest : { testedAt: now.toISOString(), error: mailError }
  const items = listGoLiveItems({ ...facts, mailTest })
  const openItems = items.filter(({ isDone }) => !isDone)
  if (openItems.length === 0) return []
  const lines = ['', `Go live (${openItems.length} of ${items.length} to do):`, ...openItems.flatMap(formatItem)]
  // The lines can quote settings, which must not send control characters to root's terminal.
  return lines.map(toVisibleText)
}

function formatItem({ key, title, state, why, instruction, docs }: GoLiveItem): string[] {
  const heading = `○ ${title}: ${state} ${why}`
  if (instruction === null) return [heading, `  See ${docs}.`]
  const { where, lines, next } = instruction
  const pageHint = keysOnPage.includes(key) ? ' An admin can also set it under Account → Server settings.' : ''
  return [
    heading,
    `  ${where}`,
    ...lines.map((line) => `    ${line}`),
    `  ${next === null ? '' : `${next}${/[.:]$/.test(next) ? '' : '.'} `}See ${docs}.${pageHint}`,
  ]
}

export function checkSavedSettings({ unreadableNames }: CommandSettings): DoctorDiagnosis[] {
  return unreadableNames.map((name) =>
    warning(
      `Server settings: ${name} can't be decrypted with the secret of this server.`,
      'Save it again under Account → Server settings.',
    ),
  )
}
