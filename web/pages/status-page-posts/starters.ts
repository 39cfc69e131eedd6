/** Texts that the application offers for each state, so that nobody has to search for words during an outage. */
import type { PostState } from '../../../src/shared/status-pages.ts'

/**
 * Returns “Shop”, “Shop and Blog” or “Shop, Blog and API”. For more labels, returns their number. A post without labels
 * is about all services.
 */
export function joinLabels(labels: readonly string[]): string {
  if (labels.length === 0) return 'our services'
  if (labels.length > 3) return `${labels.length} of our services`
  return [labels.slice(0, -1).join(', '), labels.at(-1)].filter(Boolean).join(' and ')
}

const startersByState: Record<PostState, (names: string) => string> = {
  investigating: (names) =>
    `We are investigating a problem with ${names}. We will post an update as soon as we know more.`,
  identified: () => 'We have found the cause of the problem and are working on a fix.',
  monitoring: () => 'We have fixed the problem and are watching whether everything works as expected.',
  resolved: (names) => `The problem is resolved, and ${names} can be used as usual. We apologize for the disruption.`,
}

export const createStarterBody = (state: PostState, labels: readonly string[]) =>
  startersByState[state](joinLabels(labels))

/** The title of a post about a monitor that is or was down. */
export const createIncidentTitle = (label: string, isOver: boolean) => `${label} ${isOver ? 'was' : 'is'} unavailable`
