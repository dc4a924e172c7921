/* Integrals by Gauss-Kronrod panels that are halved where the function asks for it (QUADPACK's way;
 * Piessens et al. 1983). */
#ifndef IRBOUNDS_PANEL_INTEGRAL_H
#define IRBOUNDS_PANEL_INTEGRAL_H

typedef double (*panel_function)(double x, const void *context);

typedef struct {
    double value;
    double error; /* what the rules disagree by, as QUADPACK reckons it */
    int calls;
} panel_sum;

/* The integral from edges[0] to edges[n - 1], with panels that end at each of the edges, which
 * rise.  A panel is halved until its two rules agree within `tolerance` or it is too narrow for
 * doubles.  `most` calls at most. */
panel_sum integrate_panels(panel_function f, const void *context, const double *edges, int n,
                           double tolerance, int most);

#endif
