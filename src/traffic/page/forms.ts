/** The short pages: what asks for the password of a website, and what says that there is nothing. */
import { html } from '../../lib/html.ts'

export function passwordForm(domain: string, fault: string | undefined): string {
  const described = fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`
  return html`<h1>${domain}</h1><p>Its statistics are for those who know the password.</p>
${fault !== undefined && html`<p role="alert" id="fault">${fault}</p>`}
<form method="post"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus${described}>
<button>Show the statistics</button></form>`.text
}

export const nothingHere = '<h1>There is nothing here</h1><p>Perhaps the address has a mistake in it.</p>'
