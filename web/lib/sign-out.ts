/** Signing out, here and in every other tab of this browser. */
import { api } from './api.ts'
import { basePath } from './boot.ts'

/** Of this server: another one may lie under another path. */
const tabs = new BroadcastChannel(`belfry${basePath}`)

/** A fresh page: nothing of theirs stays in memory. */
const startAnew = () => location.assign(document.baseURI)

export async function signOut(): Promise<void> {
  await api.delete('api/session')
  tabs.postMessage('signed out')
  startAnew()
}

export function signOutWithOtherTabs(): void {
  tabs.addEventListener('message', startAnew)
}
