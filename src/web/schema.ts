/** What every page of the application starts with, so that it need not ask first. */
export interface Boot {
  version: string
  /** `BELFRY_URL`, without a slash at the end; null where it is not set. */
  base_url: string | null
  user: { id: number; email: string; is_admin: boolean } | null
  /** For whoever is signed in. */
  server: {
    transports: { email: boolean; telegram: boolean; slack: boolean; sms: boolean }
    private_targets: boolean
    time_zone: string
  } | null
  /** On the pages of a website alone; null where there is nothing to see. */
  website?: BootWebsite | null
}

export interface BootWebsite {
  id: number
  domain: string
  time_zone: string
  is_owner: boolean
  is_locked: boolean
}
