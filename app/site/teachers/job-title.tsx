export const JobTitle = ({ lines, className }: { lines: string[]; className?: string | undefined }) => (
  <p className={className}>{lines.flatMap((line, index) => (index === 0 ? [line] : [' ', <br key={line} />, line]))}</p>
)
