import { Bell, BookOpen, KeyRound, LogOut, ScrollText, ShieldCheck, UserRound, Users, UsersRound } from 'lucide-preact'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../components/menu.tsx'
import { signOut } from '../lib/sign-out.ts'
import { can, teams } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import { useMediaQuery } from '../lib/use-media-query.ts'

/**
 * On narrow screens, the navigation has no space for the pages that are used least, so they are in this menu. site-header.css uses the
 * same width.
 */
const NARROW_QUERY = teams.length > 1 ? '(max-width: 90rem)' : '(max-width: 72rem)'

export function AccountMenu({ email, isAdmin }: { email: string; isAdmin: boolean }) {
  const isNarrow = useMediaQuery(NARROW_QUERY)
  return (
    <Menu
      kind="quiet"
      align="end"
      name="Account"
      hasChevron={false}
      label={
        <span class="avatar" aria-hidden="true">
          {[...email][0]}
        </span>
      }
    >
      <MenuNote>{email}</MenuNote>
      <MenuSeparator />
      {isNarrow && (
        <>
          {can('browse') && (
            <>
              <MenuLink icon={Bell} href="/notification-channels">
                Notification channels
              </MenuLink>
              <MenuLink icon={KeyRound} href="/keys">
                API keys
              </MenuLink>
            </>
          )}
          {isAdmin && (
            <MenuLink icon={Users} href="/users">
              Users
            </MenuLink>
          )}
        </>
      )}
      <MenuLink icon={UsersRound} href="/team">
        Team
      </MenuLink>
      {can('manage') && (
        <MenuLink icon={ScrollText} href="/audit">
          Audit log
        </MenuLink>
      )}
      <MenuSeparator />
      <MenuLink icon={UserRound} href="/account">
        Account
      </MenuLink>
      <MenuLink icon={ShieldCheck} href="/account/security">
        Security
      </MenuLink>
      <MenuLink icon={BookOpen} href="docs" isExternal>
        API documentation
      </MenuLink>
      <MenuSeparator />
      <MenuItem icon={LogOut} onSelect={() => void signOut().catch(showProblem)}>
        Sign out
      </MenuItem>
    </Menu>
  )
}
