/** Switches between teams. Only people who are in several teams have it. */
import { Plus, UsersRound } from 'lucide-preact'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../components/menu.tsx'
import { roleLabels } from '../lib/role-labels.ts'
import { currentRole, switchTeam, teams } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import './team-menu.css'

export function TeamMenu() {
  const current = teams.find(({ is_current }) => is_current)
  const name = current?.name ?? ''
  const isLimited = currentRole === 'viewer' || currentRole === 'guest'
  return (
    <div class="team-menu">
      <Menu
        kind="quiet"
        // Begins with the visible text, which people say to voice control.
        name={`${name} ${isLimited ? `${roleLabels[currentRole]} ` : ''}– switch team`}
        label={
          <>
            <span class="clip">{name}</span> {isLimited && <span class="tag">{roleLabels[currentRole]}</span>}
          </>
        }
      >
        <MenuNote>Switch team</MenuNote>
        {teams.map(({ id, name, role, is_current }) => (
          <MenuItem
            key={id}
            isChecked={is_current}
            detail={roleLabels[role]}
            onSelect={() => void (is_current || switchTeam(id).catch(showProblem))}
          >
            <span class="team-menu-name">{name}</span>
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuLink icon={UsersRound} href="/team">
          Team settings
        </MenuLink>
        <MenuLink icon={Plus} href="/teams/new">
          Create team
        </MenuLink>
      </Menu>
    </div>
  )
}
