/** Signs out of this tab and all other tabs of this browser. */
import { api } from './api.ts'
import { basePath } from './boot.ts'

/** Includes the path, because another Belfry server may run under another path of the same host. */
const tabs = new BroadcastChannel(`belfry${basePath}`)

/** A full page load clears the user's data from memory. */
const reloadApp = () => location.assign(document.baseURI)

export async function signOut(): Promise<void> {
  await api.delete('api/session')
  tabs.postMessage('signed out')
  reloadApp()
}

export function signOutWithOtherTabs(): void {
  tabs.addEventListener('message', reloadApp)
}
