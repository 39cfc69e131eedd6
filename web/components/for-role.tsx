import type { ComponentType } from 'preact'
import { can, type Permission } from '../lib/team.ts'
import { lazyPage } from './lazy-page.tsx'

const RoleNotice = lazyPage<object>(() => import('./role-notice.tsx'))

/** The page, or for users whose role doesn't allow it, an explanation. */
export function forRole<P extends object>(permission: Permission, GuardedPage: ComponentType<P>): ComponentType<P> {
  return can(permission) ? GuardedPage : () => <RoleNotice />
}
