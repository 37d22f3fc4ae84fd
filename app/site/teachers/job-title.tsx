/** A job title in its one or two lines. */
export const JobTitle = ({ puesto, className }: { puesto: string[]; className?: string | undefined }) => (
  <p className={className}>
    {puesto.flatMap((line, index) => (index === 0 ? [line] : [' ', <br key={line} />, line]))}
  </p>
)
