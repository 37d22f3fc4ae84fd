import type { FieldFault } from '#app/cms/schema/faults.ts'
import { fieldKeyOf } from '#app/panel/editor/draft-state.ts'
import { screenOfField, withScreenTitle } from '#app/panel/editor/editable-screens.ts'
import { Link } from '#app/ui/navigation/link.tsx'

/**
 * Shows faults, each with the name of its field, if it has one.
 * @param hasLinks whether the name links to the field in its form
 */
export const FaultList = ({ faults, hasLinks = true }: { faults: readonly FieldFault[]; hasLinks?: boolean }) => (
  <ul>
    {faults.map(({ documento, campo, donde, remedio }) => {
      if (donde === '') return <li key={remedio}>{remedio}</li>
      const screen = screenOfField(documento, campo)
      const fieldKey = fieldKeyOf(documento, campo)
      const label = screen ? withScreenTitle(screen, donde) : donde
      return (
        <li key={`${fieldKey} ${remedio}`}>
          {screen && hasLinks ? (
            <Link to={`/organizadores/sitio/${screen.id}?campo=${encodeURIComponent(fieldKey)}`}>{label}</Link>
          ) : (
            label
          )}
          : {remedio}
        </li>
      )
    })}
  </ul>
)

export const datesHeading = (count: number) =>
  count === 1 ? 'Una fecha no cuadra con las demás' : `${count} fechas no cuadran con las demás`
