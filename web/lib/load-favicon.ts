/**
 * Loads the icons of websites from the server. Only a few load at the same time, so that they don't delay other
 * requests.
 */
import { boot } from './boot.ts'

const MAX_CONCURRENT_LOADS = 2
/** How many times to ask for an icon that the server is still fetching. */
const MAX_ATTEMPTS = 4
const DEFAULT_RETRY_SECONDS = 2

/** Data URLs by website id; undefined if the website has no icon. Kept until the page is reloaded. */
const icons = new Map<number, Promise<string | undefined>>()
let runningLoads = 0
const waitingLoads: (() => void)[] = []

export function loadFavicon(websiteId: number): Promise<string | undefined> {
  if (!boot.favicons) return Promise.resolve(undefined)
  let icon = icons.get(websiteId)
  if (icon === undefined) {
    // Without an icon, the page shows a letter, so a failure needs no message.
    icon = loadWithRetries(websiteId).catch(() => undefined)
    icons.set(websiteId, icon)
  }
  return icon
}

async function loadWithRetries(websiteId: number): Promise<string | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const response = await runLimited(() => fetch(new URL(`api/v1/websites/${websiteId}/favicon`, document.baseURI)))
    if (response.status === 200) return toDataUrl(await response.blob())
    if (response.status !== 202) return undefined
    const seconds = Number(response.headers.get('retry-after') ?? DEFAULT_RETRY_SECONDS)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000 * 2 ** attempt))
  }
  return undefined
}

async function runLimited<T>(load: () => Promise<T>): Promise<T> {
  if (runningLoads < MAX_CONCURRENT_LOADS) runningLoads++
  else await new Promise<void>((resolve) => waitingLoads.push(resolve))
  try {
    return await load()
  } finally {
    const startNext = waitingLoads.shift()
    // The next load replaces this one, so the number of running loads stays the same.
    if (startNext === undefined) runningLoads--
    else startNext()
  }
}

/** The Content-Security-Policy allows images from data URLs, but not from blobs. */
function toDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
