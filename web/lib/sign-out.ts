/** Signs out of this tab and all other tabs of this browser. */
import { api, type ItemResponse } from './api.ts'
import { basePath } from './boot.ts'

/** Includes the path, because another Belfry server may run under another path of the same host. */
const tabsChannel = new BroadcastChannel(`belfry${basePath}`)

/** Loads the whole page again, which clears the user's data from memory. */
const reloadApp = () => location.assign(document.baseURI)

export async function signOut(): Promise<void> {
  const { data } = await api.delete<ItemResponse<{ logout_url?: string | null }>>('api/session')
  if (data.logout_url == null) return reloadAllTabs()
  // The identity provider signs the user out, too, and sends them back.
  tabsChannel.postMessage('session changed')
  location.assign(data.logout_url)
}

/** Call it after a change of the session, which all tabs share. */
export function reloadAllTabs(): void {
  tabsChannel.postMessage('session changed')
  reloadApp()
}

export function reloadWhenOtherTabSignsOut(): void {
  tabsChannel.addEventListener('message', reloadApp)
}
