/** Credits of a plan's primary and secondary window (docs/provider.md#plan-credits). */
export interface PlanCredits {
  readonly primary: number;
  readonly secondary: number;
}

const NONE: PlanCredits = { primary: 0, secondary: 0 };
const PLUS: PlanCredits = { primary: 225, secondary: 7_560 };
const PRO: PlanCredits = { primary: 1_500, secondary: 50_400 };

const byPlan: Readonly<Record<string, PlanCredits>> = {
  free: { primary: 0, secondary: 1_134 },
  plus: PLUS,
  business: PLUS,
  team: PLUS,
  edu: PLUS,
  pro: PRO,
  enterprise: PRO,
  prolite: { primary: 1_125, secondary: 37_800 },
};

/** Unknown plans have no credits. */
export const creditsOf = (planType: string): PlanCredits =>
  Object.hasOwn(byPlan, planType) ? (byPlan[planType] ?? NONE) : NONE;
