/** A server with a real mail server, for tests that open links from emails. */
import { expect, vi } from 'vitest'
import type { Environment } from '../../src/config/config.ts'
import { startTestServer, type TestServer } from './server.ts'
import { type ReceivedMail, type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

export const PUBLIC_URL = 'https://stats.example.com'

export interface MailingServer {
  server: TestServer
  mail: SmtpReceiver
  /** Waits for the next email to the address, in upper or lower case, and takes it out of the received ones. */
  receive(to: string): Promise<ReceivedMail>
  close(): Promise<void>
}

export async function startMailingServer(env: Environment = {}): Promise<MailingServer> {
  const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] })
  const server = await startTestServer({
    env: {
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'belfry@example.org',
      BELFRY_URL: PUBLIC_URL,
      ...env,
    },
  })
  return {
    server,
    mail,
    receive: (to) =>
      vi.waitFor(
        () => {
          const index = mail.received.findIndex((received) =>
            received.to.some((address) => address.toLowerCase() === to.toLowerCase()),
          )
          expect(index, `no email to ${to}`).toBeGreaterThanOrEqual(0)
          return mail.received.splice(index, 1)[0] as ReceivedMail
        },
        { timeout: 20_000, interval: 10 },
      ),
    close: async () => {
      await server.close()
      await mail.close()
    },
  }
}

/** Returns the token of the link in an email. Its text and its HTML must have the same link. */
export function readToken({ mail: { html = '', text = '' } }: ReceivedMail, path: string): string {
  const token = new RegExp(`^${PUBLIC_URL}/${path}/([\\w-]{43})$`, 'm').exec(text)?.[1]
  if (token === undefined) throw new Error(`The email has no link to /${path}/:\n${text}`)
  expect(html).toContain(`href="${PUBLIC_URL}/${path}/${token}"`)
  return token
}
