const MESES = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** «7 de agosto» → { dia: 7, mes: 8 }; undefined when there is no such day. */
export function diaDeCumple(cumple: string): { dia: number; mes: number } | undefined {
  const [, dia, nombre] = /^(\d{1,2}) de (\p{L}+)$/u.exec(cumple.trim().toLowerCase()) ?? []
  const mes = MESES.indexOf(nombre ?? '') + 1
  // 2024, since it has a 29th of February.
  const fecha = new Date(Date.UTC(2024, mes - 1, Number(dia)))
  return mes > 0 && fecha.getUTCMonth() === mes - 1 ? { dia: Number(dia), mes } : undefined
}
