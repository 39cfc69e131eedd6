/** Data embedded in every HTML page, which saves the application a request before it can start. */
export interface Boot {
  version: string
  /** What the operator types on the server to set a new password. */
  password_command: string
  /** The public URL without a trailing slash; null if unset. */
  base_url: string | null
  user: { id: number; email: string; is_admin: boolean } | null
  /** Whether the server fetches the icons of websites. */
  favicons: boolean
  /** null if nobody is signed in. */
  server: {
    /** Whether the operator has configured the types of notification channels that need settings of the server. */
    transports: { email: boolean; sms: boolean }
    private_targets: boolean
    time_zone: string
  } | null
  /** Only on pages about a website; null if there is no such website or the user has no access to it. */
  website?: BootWebsite | null
}

export interface BootWebsite {
  id: number
  domain: string
  time_zone: string
  is_owner: boolean
  is_locked: boolean
  is_sample: boolean
}
