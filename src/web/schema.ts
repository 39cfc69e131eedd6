import type { Role } from '../shared/roles.ts'

/** Data embedded in every HTML page, which saves the application a request before it can start. */
export interface Boot {
  version: string
  /** What the operator types on the server to set a new password. */
  password_command: string
  /** The public URL without a trailing slash; null if unset. */
  base_url: string | null
  user: { id: number; email: string; is_admin: boolean } | null
  /** The teams of the user. Left out if they have only their own team, as its owner. */
  teams?: BootTeam[]
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

export interface BootTeam {
  id: number
  name: string
  role: Role
  /** Whether the session acts in this team. */
  is_current: boolean
  /** Whether a guest may change what was shared with them. */
  guest_can_edit: boolean
  /** Whether the team requires a second factor, which the session has not proved. */
  needs_second_factor: boolean
}

export interface BootWebsite {
  id: number
  domain: string
  time_zone: string
  is_owner: boolean
  is_locked: boolean
  is_sample: boolean
}
