/**
 * What an admin should set before other people rely on the server, why, and how. The pages, the API and `belfry doctor`
 * show this list. This module is pure.
 */
import { isLoopbackHostname } from '../shared/reach.ts'
import { type GoLiveKey, goLiveKeys } from '../shared/server-settings.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Deployment } from './deployment.ts'
import type { Instruction } from './instruction.ts'
import { createInstruction } from './instructions.ts'
import type { MailTest } from './mail-test.ts'

/** Backups are expected every day or every week. */
const MAX_BACKUP_AGE_DAYS = 8

export interface GoLiveFacts {
  /** The public URL that applies. */
  url: string | undefined
  /** The host of the mail server that applies. */
  mailHost: string | undefined
  /** The last test of that mail server. */
  mailTest: MailTest | undefined
  /** When `belfry backup` last succeeded. */
  lastBackupAt: Date | undefined
  /** Whether an admin has said that backups are made in another way. */
  hasOtherBackups: boolean
  /** Whether DATABASE_URL is set. */
  hasOwnDatabase: boolean
  deployment: Deployment
  port: number
  now: Date
}

export interface GoLiveItem {
  key: GoLiveKey
  title: string
  isDone: boolean
  /** The current state, as a sentence. */
  state: string
  /** What doesn't work, or what can go wrong, until the item is done. */
  why: string
  /** null if the item is done, or if the mail server is set, but not tested yet or not working. */
  instruction: Instruction | null
  /** The page of the documentation that describes the item. */
  docs: string
}

interface Definition {
  title: string
  why: string
  docs: string
  /** Returns the current state as a sentence. `isSet`: the setting has a value, so the lines to set would not help. */
  judge(facts: GoLiveFacts): { isDone: boolean; state: string; isSet?: boolean }
}

const countDays = (since: Date, now: Date) => Math.floor((now.getTime() - since.getTime()) / DAY_MS)

function formatDaysAgo(since: Date, now: Date): string {
  const days = countDays(since, now)
  return days <= 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`
}

const definitions: Record<GoLiveKey, Definition> = {
  url: {
    title: 'Public URL',
    why: "Without it, alerts and reports have no links, status pages have no subscribe form and no custom domain, and the tracking snippet can have an address that visitors can't reach.",
    docs: 'docs/configure.md',
    judge({ url }) {
      if (url === undefined) return { isDone: false, state: 'The public URL is not set.' }
      return isLoopbackHostname(new URL(url).hostname)
        ? { isDone: false, state: `The public URL ${url} only works on this computer.` }
        : { isDone: true, state: `The public URL is ${url}.` }
    },
  },
  https: {
    title: 'HTTPS',
    why: 'Without HTTPS, passwords and API keys travel unencrypted, browsers block the tracking script on websites with HTTPS, and mail programs offer no one-click unsubscribe.',
    docs: 'docs/proxies.md',
    judge({ url }) {
      if (url === undefined) return { isDone: false, state: 'Belfry has no public address with HTTPS yet.' }
      return url.startsWith('https:')
        ? { isDone: true, state: 'The public URL uses HTTPS.' }
        : { isDone: false, state: `${url} doesn't use HTTPS.` }
    },
  },
  mail: {
    title: 'Mail server',
    why: "Without a working mail server, Belfry can't send alerts by email, weekly reports, or updates to the subscribers of status pages.",
    docs: 'docs/configure.md',
    judge({ mailHost, mailTest, now }) {
      if (mailHost === undefined) return { isDone: false, state: 'No mail server is set.' }
      if (mailTest === undefined) {
        return {
          isDone: false,
          isSet: true,
          state: `The mail server ${mailHost} is set, but not tested yet. Send a test email under Account → Server settings.`,
        }
      }
      const day = formatDaysAgo(new Date(mailTest.testedAt), now)
      return mailTest.error === null
        ? { isDone: true, state: `Email is sent through ${mailHost}. It accepted a test email ${day}.` }
        : { isDone: false, isSet: true, state: `The last test of ${mailHost}, ${day}, failed. ${mailTest.error}` }
    },
  },
  backups: {
    title: 'Backups',
    why: 'Without a backup on another machine, a broken disk or a mistake can delete all statistics, monitors and settings.',
    docs: 'docs/back-up.md',
    judge({ lastBackupAt, hasOtherBackups, hasOwnDatabase, now }) {
      if (hasOtherBackups) return { isDone: true, state: 'Backups are made in another way.' }
      if (lastBackupAt === undefined) {
        return {
          isDone: false,
          state: hasOwnDatabase
            ? "Belfry can't know whether your PostgreSQL server is backed up."
            : 'There is no backup yet.',
        }
      }
      return {
        isDone: countDays(lastBackupAt, now) <= MAX_BACKUP_AGE_DAYS,
        state: `The last backup was made ${formatDaysAgo(lastBackupAt, now)}.`,
      }
    },
  },
}

export function listGoLiveItems(facts: GoLiveFacts): GoLiveItem[] {
  return goLiveKeys.map((key) => {
    const { title, why, docs, judge } = definitions[key]
    const { isDone, state, isSet = isDone } = judge(facts)
    return { key, title, isDone, state, why, docs, instruction: isSet ? null : createInstruction(key, facts) }
  })
}
