/** The navigation bar at the top of every page. */
import type { LucideIcon } from 'lucide-preact'
import {
  Bell,
  KeyRound,
  LayoutDashboard,
  Monitor,
  Moon,
  PanelTop,
  Radar,
  Search,
  Siren,
  Sun,
  Users,
  Wrench,
} from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { Link, useLocation, useSearch } from 'wouter-preact'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { boot } from '../lib/boot.ts'
import { formatCompactNumber } from '../lib/format.ts'
import { useUnacknowledgedCount } from '../lib/queries.ts'
import { buildSignInPath, isPublicPath } from '../lib/sign-in-path.ts'
import { can, type Permission, teams } from '../lib/team.ts'
import { onThemeChange, readTheme, saveTheme, type Theme } from '../lib/theme.ts'
import { openPalette, paletteShortcutLabel } from '../palette/open-palette.ts'
import { AccountMenu } from './account-menu.tsx'
import { TeamMenu } from './team-menu.tsx'
import './site-header.css'

interface NavigationPage {
  href: string
  label: string
  icon: LucideIcon
  isWide?: boolean
  needs?: Permission
}

const pages: readonly NavigationPage[] = [
  { href: '/', label: can('browse') ? 'Overview' : 'Websites', icon: LayoutDashboard },
  { href: '/monitors', label: 'Monitors', icon: Radar, needs: 'browse' },
  { href: '/incidents', label: 'Incidents', icon: Siren, needs: 'browse' },
  { href: '/maintenance', label: 'Maintenance', icon: Wrench, needs: 'browse' },
  { href: '/status-pages', label: 'Status pages', icon: PanelTop },
  { href: '/notification-channels', label: 'Notification channels', icon: Bell, isWide: true, needs: 'browse' },
  { href: '/keys', label: 'API keys', icon: KeyRound, isWide: true, needs: 'browse' },
]
const shownPages = pages.filter(({ needs }) => needs === undefined || can(needs))
const usersPage = { href: '/users', label: 'Users', icon: Users, isWide: true }

export function SiteHeader() {
  const [path] = useLocation()
  const getAriaCurrent = (href: string) => (path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : undefined)
  const links = boot.user?.is_admin ? [...shownPages, usersPage] : shownPages
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to content
      </button>
      <header class={teams.length > 1 ? 'bar bar-teams' : 'bar'}>
        <Link href="/" class="brand" {...(teams.length > 1 && { 'aria-label': 'Belfry' })}>
          <img src="icon.svg" width="24" height="24" alt="" />
          {teams.length > 1 ? undefined : 'Belfry'}
        </Link>
        {teams.length > 1 && <TeamMenu />}
        {boot.user && (
          <nav aria-label="Main">
            <ul>
              {links.map(({ href, label, icon, isWide = false }) => (
                <li key={href} class={isWide ? 'bar-wide' : undefined}>
                  <Link href={href} aria-current={getAriaCurrent(href)}>
                    <Icon icon={icon} />
                    {label}
                    {href === '/incidents' && <UnacknowledgedBadge />}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="bar-end">
          {boot.user && (
            <button type="button" class="bar-search" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
              <Icon icon={Search} />
              <span>Search</span>
              <kbd>{paletteShortcutLabel}</kbd>
            </button>
          )}
          <ThemeButton />
          {boot.user ? (
            <AccountMenu email={boot.user.email} isAdmin={boot.user.is_admin} />
          ) : (
            isPublicPath(path) && <SignInLink path={path} />
          )}
        </div>
      </header>
    </>
  )
}

function SignInLink({ path }: { path: string }) {
  const search = useSearch()
  return <Link href={buildSignInPath(search === '' ? path : `${path}?${search}`)}>Sign in</Link>
}

function UnacknowledgedBadge() {
  const count = useUnacknowledgedCount()
  if (!count) return null
  return (
    <span class="bar-badge numbers">
      {formatCompactNumber(count)}
      <span class="hidden-text"> not acknowledged</span>
    </span>
  )
}

/** The skip button isn't a link to #content, because the browser would resolve that against <base> and leave the page. */
function focusContent() {
  const content = document.getElementById('content')
  content?.setAttribute('tabindex', '-1')
  content?.focus()
}

const themes: Record<Theme, { next: Theme; icon: LucideIcon; label: string }> = {
  system: { next: 'light', icon: Monitor, label: 'Theme: system' },
  light: { next: 'dark', icon: Sun, label: 'Theme: light' },
  dark: { next: 'system', icon: Moon, label: 'Theme: dark' },
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  useEffect(() => onThemeChange(setTheme), [])
  const { next, icon, label } = themes[theme]
  return <Button kind="quiet" icon={icon} aria-label={label} title={label} onClick={() => saveTheme(next)} />
}
