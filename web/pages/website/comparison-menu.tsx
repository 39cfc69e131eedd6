/** Chooses what the period is compared with. */
import { ArrowLeftRight } from 'lucide-preact'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { areShortcutsEnabled } from '../../lib/shortcuts.ts'
import {
  type ChangeView,
  type ComparisonName,
  comparisonLabels,
  matchesWeekdayByDefault,
  selectsSameWeekdays,
  type WebsiteView,
} from './view.ts'

export const COMPARISON_KEY = 'X'

interface ComparisonMenuProps {
  view: WebsiteView
  changeView: ChangeView
}

export function ComparisonMenu({ view, changeView }: ComparisonMenuProps) {
  const { comparison } = view
  const isMatching = selectsSameWeekdays(view)
  const label = comparison === 'off' ? 'Compare' : comparisonLabels[comparison]
  return (
    <Menu
      icon={ArrowLeftRight}
      label={<span class="clip website-comparison">{label}</span>}
      name={`Comparison: ${comparisonLabels[comparison]}`}
      align="end"
    >
      {(Object.keys(comparisonLabels) as ComparisonName[]).map((name) => (
        <MenuItem
          key={name}
          isChecked={comparison === name}
          {...(name === 'off' && areShortcutsEnabled() && { hint: COMPARISON_KEY })}
          onSelect={() => changeView({ comparison: name })}
        >
          {comparisonLabels[name]}
        </MenuItem>
      ))}
      {comparison !== 'off' && (
        <>
          <MenuSeparator />
          <MenuItem
            isToggle
            isChecked={isMatching}
            onSelect={() =>
              changeView({ matchesWeekday: isMatching === matchesWeekdayByDefault(view) ? !isMatching : undefined })
            }
          >
            Match day of week
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
