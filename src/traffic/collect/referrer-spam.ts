/**
 * Recognizes referrer spam: programs send events whose referrer is a website that they advertise, so that owners who see it in
 * their statistics open it. `lists/referrer-spam.txt` is the list that the Matomo community maintains. It is in the public domain:
 * https://github.com/matomo-org/referrer-spam-list
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { packageFolder } from '../../lib/package-folder.ts'

const listPath = join(packageFolder, 'lists', 'referrer-spam.txt')

/** `host` is in lower case, without `www.`. */
export type IsSpamReferrer = (host: string) => boolean

/** Most visitors come from the same hosts, so results are cached. */
const MAX_CACHED_HOSTS = 2_000

/** Reads the list. `EventIntake` calls this when the first event arrives. */
export async function loadSpamReferrers(): Promise<IsSpamReferrer> {
  const spamDomains = new Set((await readFile(listPath, 'utf8')).split('\n').filter((line) => line !== ''))
  const results = new BoundedMap<string, boolean>(MAX_CACHED_HOSTS)
  return (host) => {
    const cached = results.get(host)
    if (cached !== undefined) return cached
    const isSpam = includesDomainOf(spamDomains, host)
    results.set(host, isSpam)
    return isSpam
  }
}

/** The list has domains, and spammers also use their subdomains. */
function includesDomainOf(domains: ReadonlySet<string>, host: string): boolean {
  for (let domain = host; domain.includes('.'); domain = domain.slice(domain.indexOf('.') + 1)) {
    if (domains.has(domain)) return true
  }
  return false
}
