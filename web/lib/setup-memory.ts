/** What this browser remembers about the setup: whether the list of steps is hidden, and which installations were verified. */
import { currentTeamId } from './team.ts'

/** `open`: some steps were open when the list was last shown, so a page can keep room for it. */
type SetupListState = 'open' | 'hidden' | 'unknown'

const listKey = `belfry-setup-hidden-${currentTeamId}`
const verifiedKey = (websiteId: number) => `belfry-verified-${websiteId}`

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    // The browser may block localStorage.
    return null
  }
}

function save(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {}
}

export function readSetupListState(): SetupListState {
  const text = read(listKey)
  if (text === null) return 'unknown'
  return text === 'open' ? 'open' : 'hidden'
}

export const saveSetupListState = (state: 'open' | 'hidden') => save(listKey, state)

/** Whether the last verification in this browser found a working snippet. */
export const wasVerified = (websiteId: number) => read(verifiedKey(websiteId)) !== null

export const saveVerified = (websiteId: number, isInstalled: boolean) =>
  save(verifiedKey(websiteId), isInstalled ? 'yes' : null)
