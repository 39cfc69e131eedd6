/** Lists what is missing before the server goes live. The pages show the same list. */
import { toVisibleText } from '../../lib/text.ts'
import type { CommandSettings } from '../../server-settings/command-settings.ts'
import { toGoLiveFacts } from '../../server-settings/describe-settings.ts'
import { type GoLiveItem, listGoLiveItems } from '../../server-settings/go-live.ts'
import { type DoctorDiagnosis, warning } from './diagnosis.ts'

/** These settings can also be changed on a page. */
const keysOnPage: readonly GoLiveItem['key'][] = ['url', 'mail']

export function listMissingBeforeGoLive({ config, sources }: CommandSettings, now: Date): string[] {
  const openItems = listGoLiveItems(toGoLiveFacts(config, sources, now)).filter(({ isDone }) => !isDone)
  if (openItems.length === 0) return []
  const lines = ['', 'Before you go live:', ...openItems.flatMap(formatItem)]
  // The lines can quote settings, which must not send control characters to root's terminal.
  return lines.map(toVisibleText)
}

function formatItem({ key, title, state, why, instruction, docs }: GoLiveItem): string[] {
  const { where, lines, next } = instruction ?? { where: '', lines: [], next: null }
  const pageHint = keysOnPage.includes(key) ? ' An admin can also set it under Account → Server settings.' : ''
  return [
    `○ ${title}: ${state} ${why}`,
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
