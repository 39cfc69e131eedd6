/** How the connection to the mail server is encrypted: from the beginning, after STARTTLS, or not at all. */
export const mailSecurities = ['starttls', 'tls', 'none'] as const
export type MailSecurity = (typeof mailSecurities)[number]

export const defaultMailPorts: Record<MailSecurity, number> = { starttls: 587, tls: 465, none: 25 }

/** What an administrator should do before other people use the server. */
export const goLiveKeys = ['url', 'https', 'mail', 'backups'] as const
export type GoLiveKey = (typeof goLiveKeys)[number]
