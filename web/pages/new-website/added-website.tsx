/** The next step after adding a website: install the snippet. */
import { useEffect, useRef } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { FirstVisit } from './first-visit.tsx'
import './new-website.css'

export function AddedWebsite({ website }: { website: WebsiteRecord }) {
  const instruction = useRef<HTMLParagraphElement>(null)
  // The form that had the focus is gone, so move the focus to the instruction.
  useEffect(() => instruction.current?.focus(), [])
  return (
    <div class="stack">
      <p ref={instruction} tabIndex={-1} class="new-website-instruction">
        Add this snippet to the <code>&lt;head&gt;</code> of every page on {website.domain}:
      </p>
      <CodeLine text={buildTrackingSnippet(website.domain)} label="Copy" />
      <p class="muted small">
        Most website builders have a site-wide header template or a custom code setting. In a tag manager, add it as
        custom HTML on all pages. Some tag managers remove the <code>data-domain</code> attribute. Make sure it is still
        on your pages and set to <code>{website.domain}</code>.
      </p>
      <FirstVisit id={website.id} domain={website.domain} />
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
            <strong>Exclusions</strong>: bots and excluded IPs aren't counted. The website's settings show how many page
            views and events were excluded and why.
          </li>
          <li>
            <strong>A wrong domain</strong> in <code>data-domain</code>: it must be <code>{website.domain}</code> or one
            of its subdomains.
          </li>
          <li>
            <strong>A Content-Security-Policy</strong> on your website must allow this server in <code>script-src</code>{' '}
            and <code>connect-src</code>. If it doesn't, the browser's console shows an error.
          </li>
          <li>
            <strong>A cache</strong> may still serve the page without the snippet. Check the page source in your
            browser.
          </li>
        </ul>
      </details>
    </div>
  )
}
