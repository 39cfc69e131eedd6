/**
 * Decides whether the websites of this installation are silent together. Then the cause is likely between visitors and Belfry: its
 * own address, its proxy or its network.
 */
import { addMs } from '../lib/clock.ts'
import type { Queries } from '../storage/client.ts'
import { countUsualVisits, listBusiestWebsites, listHostsWithIncidents } from './other-websites-store.ts'
import { removeWwwLabel } from './website-of-host.ts'

/** With so many visits expected at the others together, chance leaves out all of them once in 150 times. */
const MIN_VISITS_EXPECTED = 5
/** A website counts if it should have had a visit itself. One website alone may be silent for reasons of its own. */
const MIN_WEBSITES = 2
const MIN_WEBSITE_VISITS_EXPECTED = 1

export async function areOtherWebsitesSilent(q: Queries, websiteId: number, now: Date): Promise<boolean> {
  const [busiest, hostsDown] = await Promise.all([listBusiestWebsites(q, now), listHostsWithIncidents(q)])
  const isDown = ({ domain }: { domain: string }) => hostsDown.has(removeWwwLabel(domain))
  const others = busiest.filter((website) => website.id !== websiteId && !isDown(website))
  if (others.length < MIN_WEBSITES) return false
  const lastVisitAt = new Date(Math.max(...others.map((other) => other.lastVisitAt.getTime())))
  // Two slots after a visit, even the busiest websites show nothing.
  if (addMs(lastVisitAt, MIN_SILENCE_MS) > now) return false
  const usualVisits = await countUsualVisits(
    q,
    others.map(({ id }) => id),
    lastVisitAt,
    now,
  )
  const sum = usualVisits.reduce((total, visits) => total + visits, 0)
  const count = usualVisits.filter((visits) => visits >= MIN_WEBSITE_VISITS_EXPECTED).length
  return sum >= MIN_VISITS_EXPECTED && count >= MIN_WEBSITES
}

const MIN_SILENCE_MS = 60_000
