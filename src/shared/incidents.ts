/** Limits and states of incidents that both the server and the pages know. */

export const MAX_NOTE_LENGTH = 5_000
/** How many notes an incident can have. */
export const MAX_INCIDENT_NOTES = 100
/** How many notes a list of incidents contains, so that long notes about many incidents can't fill the memory. */
export const MAX_NOTES_PER_LIST = 500

/** `open` means ongoing and includes acknowledged incidents, and `acknowledged` means ongoing and acknowledged. */
export const incidentStates = ['open', 'acknowledged', 'resolved'] as const
export type IncidentState = (typeof incidentStates)[number]
