/**
 * The buttons and menus for the selected monitors. On narrow screens, one menu has all actions except Pause and Resume.
 */
import { BellMinus, BellPlus, Ellipsis, Pause, Play, Tag, Tags, Trash2, Wrench } from 'lucide-preact'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../components/menu.tsx'
import { StartMaintenanceItems } from '../../components/start-maintenance.tsx'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import type { BulkAction } from './bulk-action.ts'

export type ListAction = BulkAction | 'add_channel' | 'remove_channel'

interface BulkMenuProps {
  isBusy: boolean
  onAction: (action: ListAction) => void
  /** `minutes` is undefined if the user chose Custom…, to type the duration. */
  onMaintenance: (minutes: number | undefined) => void
}

const NARROW_QUERY = '(max-width: 62rem)'

export function BulkMenu(props: BulkMenuProps) {
  const isNarrow = useMediaQuery(NARROW_QUERY)
  const { isBusy, onAction, onMaintenance } = props
  return (
    <>
      <Button small icon={Pause} busy={isBusy} onClick={() => onAction('pause')}>
        Pause
      </Button>
      <Button small icon={Play} busy={isBusy} onClick={() => onAction('resume')}>
        Resume
      </Button>
      {isNarrow ? (
        <MoreMenu {...props} />
      ) : (
        <>
          <Menu small icon={Tag} label="Tags">
            <TagItems onAction={onAction} />
          </Menu>
          <Menu small icon={BellPlus} label="Channels">
            <ChannelItems onAction={onAction} />
          </Menu>
          <Menu small icon={Wrench} label="Maintenance">
            <MenuNote>Start maintenance for</MenuNote>
            <StartMaintenanceItems onSelect={onMaintenance} />
          </Menu>
          <Button small kind="danger" icon={Trash2} busy={isBusy} onClick={() => onAction('delete')}>
            Delete
          </Button>
        </>
      )}
    </>
  )
}

function MoreMenu({ onAction, onMaintenance }: BulkMenuProps) {
  return (
    <Menu small label={<Icon icon={Ellipsis} size={16} />} name="More actions" align="end" hasChevron={false}>
      <TagItems onAction={onAction} />
      <ChannelItems onAction={onAction} />
      <MenuSeparator />
      <StartMaintenanceItems prefix="Maintenance: " onSelect={onMaintenance} />
      <MenuSeparator />
      <MenuItem icon={Trash2} isDanger onSelect={() => onAction('delete')}>
        Delete
      </MenuItem>
    </Menu>
  )
}

type ItemsProps = Pick<BulkMenuProps, 'onAction'>

const TagItems = ({ onAction }: ItemsProps) => (
  <>
    <MenuItem icon={Tags} onSelect={() => onAction('add_tags')}>
      Add tags…
    </MenuItem>
    <MenuItem icon={Tag} onSelect={() => onAction('remove_tags')}>
      Remove tags…
    </MenuItem>
  </>
)

const ChannelItems = ({ onAction }: ItemsProps) => (
  <>
    <MenuItem icon={BellPlus} onSelect={() => onAction('add_channel')}>
      Add channel…
    </MenuItem>
    <MenuItem icon={BellMinus} onSelect={() => onAction('remove_channel')}>
      Remove channel…
    </MenuItem>
  </>
)
