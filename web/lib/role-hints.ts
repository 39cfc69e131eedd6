/** What each role may do, in words. */
import type { Role } from '../../src/shared/roles.ts'

export const roleHints: Record<Role, string> = {
  owner: 'Everything, including deleting the team and appointing owners',
  admin: 'Everything that editors can do, and manages people and API keys',
  editor: 'Adds, changes and deletes websites, monitors and status pages',
  viewer: 'Sees everything, changes nothing',
  guest: 'Sees or edits only the websites and status pages that are shared with them',
}

/** The same, said to the person who has the role. */
export const ownRoleHints: Record<Role, string> = {
  owner: 'You can do everything, including deleting the team and appointing owners.',
  admin: 'You can do everything that editors can, and manage people and API keys.',
  editor: 'You can add, change and delete websites, monitors and status pages.',
  viewer: 'You see everything, but change nothing.',
  guest: 'You see or edit only the websites and status pages that are shared with you.',
}
