/** Explains why visits may be missing although the snippet is installed. */
import { toDisplayHost } from '../../lib/address.ts'

export function InstallationHelp({ domain }: { domain: string }) {
  const name = toDisplayHost(domain)
  return (
    <details class="new-website-help">
      <summary>Visit not showing up?</summary>
      <ul>
        <li>
          <strong>An ad blocker</strong> in your browser may block the script. Try another browser, or a phone.
        </li>
        <li>
          <strong>Do Not Track and Global Privacy Control</strong> are respected: visitors who turn them on aren't
          counted. They may be on in your browser.
        </li>
        <li>
          <strong>Exclusions</strong>: bots and excluded IPs aren't counted. Their visits are listed on this page.
        </li>
        <li>
          <strong>A wrong domain</strong> in <code>data-domain</code>: it must be <code>{name}</code> or one of its
          subdomains.
        </li>
        <li>
          <strong>A Content-Security-Policy</strong> on your website must allow this server in <code>script-src</code>{' '}
          and <code>connect-src</code>. If it doesn't, the browser's console shows an error.
        </li>
        <li>
          <strong>A cache</strong> may still serve the page without the snippet. Check the page source in your browser.
        </li>
      </ul>
    </details>
  )
}
