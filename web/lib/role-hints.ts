/** What each role may do, in words. */
import type { Role } from '../../src/shared/roles.ts'

export const roleHints: Record<Role, string> = {
  owner: 'Everything, including deleting the team and appointing owners',
  admin: 'Everything that editors can do, and manages people and API keys',
  editor: 'Adds, changes and deletes websites, monitors and status pages',
  viewer: 'Sees everything, changes nothing',
  guest: 'Sees only the websites and status pages that you choose',
}
