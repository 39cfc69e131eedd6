// Imported first, so that its request is on the way while the other scripts are evaluated.
import './lib/prefetch-overview.ts'
// Imported before the router, because its popstate listener must run first.
import './lib/back-guard.ts'
import { render } from 'preact'
import { WebApp } from './app.tsx'
import { sendShownTeam } from './lib/api.ts'
import { reloadWhenOtherTabSignsOut } from './lib/sign-out.ts'
import { currentTeamId } from './lib/team.ts'
import { applyTheme, readTheme } from './lib/theme.ts'
import { addPaletteShortcut } from './palette/open-palette.ts'
import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/forms.css'
import './styles/checks.css'
import './styles/sections.css'
import './styles/feedback.css'
import './styles/charts.css'
import './styles/forced-colors.css'

applyTheme(readTheme())
sendShownTeam(currentTeamId)
reloadWhenOtherTabSignsOut()
addPaletteShortcut()
const root = document.getElementById('app')
if (root !== null) {
  root.replaceChildren()
  render(<WebApp />, root)
}
