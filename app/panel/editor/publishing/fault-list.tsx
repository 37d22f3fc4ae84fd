import type { FieldFault } from '#app/cms/schema/faults.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { screenOfField } from '#app/panel/editor/editable-screens.ts'
import { Link } from '#app/ui/navigation/link.tsx'

/** Lists fields with what is wrong in each; with links, each leads to its form. */
export const FaultList = ({ faults, hasLinks = true }: { faults: readonly FieldFault[]; hasLinks?: boolean }) => (
  <ul>
    {faults.map(({ documento, campo, donde, remedio }) => {
      const screen = screenOfField(documento, campo)
      const fieldKey = fieldKeyOf(documento, campo)
      const where = screen ? `${screen.title} › ${donde}` : donde
      return (
        <li key={`${fieldKey} ${remedio}`}>
          {screen && hasLinks ? (
            <Link to={`/organizadores/sitio/${screen.id}?campo=${encodeURIComponent(fieldKey)}`}>{where}</Link>
          ) : (
            where
          )}
          : {remedio}
        </li>
      )
    })}
  </ul>
)

/** Heads the list of dates that contradict each other. */
export const datesHeading = (count: number) =>
  count === 1 ? 'Una fecha no cuadra con las demás' : `${count} fechas no cuadran con las demás`
