/** Chooses the period, and moves to the previous or next one. */

import { ArrowLeft, ArrowRight, CalendarDays, ChevronLeft, ChevronRight } from 'lucide-preact'
import { Fragment } from 'preact'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx'
import { Tooltip } from '../../components/tooltip.tsx'
import { formatDays } from '../../lib/format.ts'
import { areShortcutsEnabled } from '../../lib/shortcuts.ts'
import { CUSTOM_RANGE_KEY, type PeriodName, periods, shiftPeriod } from './period.ts'
import type { ChangeView, WebsiteView } from './view.ts'

const periodGroups: readonly (readonly PeriodName[])[] = [
  ['today', 'yesterday'],
  ['7d', '30d', '90d'],
  ['month', 'last_month'],
  ['year', '12mo'],
  ['all'],
]

interface PeriodMenuProps {
  view: WebsiteView
  today: string
  changeView: ChangeView
  onCustomRange: () => void
}

export function PeriodMenu({ view, today, changeView, onCustomRange }: PeriodMenuProps) {
  const label = view.period === undefined ? formatDays(view) : periods[view.period].label
  const getHint = (key: string) => (areShortcutsEnabled() ? { hint: key } : {})
  return (
    <div class="website-period">
      <ShiftButton label="Previous period" steps={-1} {...{ view, today, changeView }} />
      <Menu icon={CalendarDays} label={<span class="clip">{label}</span>} name={`Period: ${label}`} align="end">
        {periodGroups.map((names) => (
          <Fragment key={names[0]}>
            {names.map((name) => (
              <MenuItem
                key={name}
                isChecked={view.period === name}
                {...getHint(periods[name].key)}
                onSelect={() => changeView({ period: name })}
              >
                {periods[name].label}
              </MenuItem>
            ))}
            <MenuSeparator />
          </Fragment>
        ))}
        <MenuItem isChecked={view.period === undefined} {...getHint(CUSTOM_RANGE_KEY)} onSelect={onCustomRange}>
          Custom range…
        </MenuItem>
      </Menu>
      <ShiftButton label="Next period" steps={1} {...{ view, today, changeView }} />
    </div>
  )
}

interface ShiftButtonProps extends Omit<PeriodMenuProps, 'onCustomRange'> {
  label: string
  steps: -1 | 1
}

function ShiftButton({ label, steps, view, today, changeView }: ShiftButtonProps) {
  const target = shiftPeriod(view, steps, today)
  const content = (
    <>
      <span class="website-shift-label">
        {label}
        <kbd>
          <Icon icon={steps < 0 ? ArrowLeft : ArrowRight} size={11} />
        </kbd>
      </span>
      {target && <div class="muted">{formatDays(target)}</div>}
    </>
  )
  return (
    <Tooltip content={content}>
      <Button
        icon={steps < 0 ? ChevronLeft : ChevronRight}
        aria-label={label}
        disabled={target === undefined}
        onClick={() => target && changeView(target)}
      />
    </Tooltip>
  )
}
