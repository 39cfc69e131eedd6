/** The navigation bar at the top of every page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { boot } from '../lib/boot.ts'
import { readTheme, saveTheme, type Theme } from '../lib/theme.ts'
import { AccountMenu } from './account-menu.tsx'
import { Button } from './button.tsx'

const pages = [
  { href: '/', label: 'Overview' },
  { href: '/monitors', label: 'Monitors' },
  { href: '/providers', label: 'Notifications' },
  { href: '/keys', label: 'API keys' },
]

export function SiteHeader() {
  const [path] = useLocation()
  const getAriaCurrent = (href: string) => (path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : undefined)
  const nav = useRef<HTMLElement>(null)
  // On phones the links scroll sideways, so bring the current one into view.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  const links = boot.user?.is_admin ? [...pages, { href: '/users', label: 'Users' }] : pages
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        Skip to content
      </button>
      <header class="bar">
        <Link href="/" class="brand">
          <img src="icon.svg" width="24" height="24" alt="" />
          Belfry
        </Link>
        {boot.user && (
          <nav ref={nav} aria-label="Main">
            <ul>
              {links.map(({ href, label }) => (
                <li key={href}>
                  <Link href={href} aria-current={getAriaCurrent(href)}>
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="bar-end">
          <ThemeButton />
          {boot.user ? (
            <AccountMenu email={boot.user.email} />
          ) : (
            path !== '/sign-in' && <Link href="/sign-in">Sign in</Link>
          )}
        </div>
      </header>
    </>
  )
}

/** The skip button isn't a link to #content, because the browser would resolve that against <base> and leave the page. */
function focusContent() {
  const content = document.getElementById('content')
  content?.setAttribute('tabindex', '-1')
  content?.focus()
}

const themes: Record<Theme, { next: Theme; symbol: string; label: string }> = {
  system: { next: 'light', symbol: '◐', label: 'Theme: system' },
  light: { next: 'dark', symbol: '☀', label: 'Theme: light' },
  dark: { next: 'system', symbol: '☾', label: 'Theme: dark' },
}

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme)
  const { next, symbol, label } = themes[theme]
  return (
    <Button
      kind="quiet"
      aria-label={label}
      title={label}
      onClick={() => {
        saveTheme(next)
        setTheme(next)
      }}
    >
      <span aria-hidden="true">{symbol}</span>
    </Button>
  )
}
