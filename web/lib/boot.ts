/** What the server says about itself and the visitor in every page, so that nothing flickers while it is asked for. */
export interface Boot {
  version: string
  /** For snippets; no slash at the end. */
  base_url: string
  user: { id: number; email: string; is_admin: boolean } | null
  /** For whoever is signed in. */
  server: {
    transports: { email: boolean; telegram: boolean; slack: boolean; sms: boolean }
    private_targets: boolean
    time_zone: string
  } | null
  /** On a website's page; null where there is nothing to see. */
  website?: BootWebsite | null
}

export interface BootWebsite {
  id: number
  domain: string
  time_zone: string
  is_owner: boolean
  is_locked: boolean
}

export const boot: Boot = JSON.parse(document.getElementById('boot')?.textContent ?? '{}')

/** The path that everything lies under, without a slash at the end: empty unless a proxy adds a prefix. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/, '')

export const isSignedIn = boot.user != null
