/* Adaptive integrals by Gauss-Kronrod panels. The contract is in panel_integral.h. */

#include "numeric/panel_integral.h"

#include <math.h>

enum { POINTS = 7, DEPTH = 60 };

/* Kronrod's 15 points on [-1, 1]: those of the right half, every other one Gauss's, and the middle.
 */
static const double point[POINTS] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245};
static const double kronrod[POINTS] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649};
static const double kronrod_middle = 0.209482141084727828012999174891714;
static const double gauss[POINTS] = {
    0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
    0, 0.381830050505118944950369775488975, 0};
static const double gauss_middle = 0.417959183673469387755102040816327;

typedef struct {
    double low, high;
} panel;

/* The integral over one panel, and what Gauss's rule differs by. */
static double one_panel(panel_function f, const void *context, panel p, double *difference)
{
    double middle = (p.low + p.high) / 2, half = (p.high - p.low) / 2,
           at_middle = f(middle, context);
    double by_kronrod = kronrod_middle * at_middle, by_gauss = gauss_middle * at_middle;
    for (int i = 0; i < POINTS; i++) {
        double pair = f(middle - half * point[i], context) + f(middle + half * point[i], context);
        by_kronrod += kronrod[i] * pair;
        by_gauss += gauss[i] * pair;
    }
    *difference = fabs(half * (by_kronrod - by_gauss));
    return half * by_kronrod;
}

panel_sum integrate_panels(panel_function f, const void *context, const double *edges, int n,
                           double tolerance, int most)
{
    panel_sum sum = {0, 0, 0};
    for (int i = 0; i + 1 < n; i++) {
        panel left[DEPTH] = {{edges[i], edges[i + 1]}}; /* halves that wait */
        for (int waiting = 1; waiting > 0;) {
            panel p = left[--waiting];
            double difference, middle = (p.low + p.high) / 2,
                               value = one_panel(f, context, p, &difference);
            sum.calls += 2 * POINTS + 1;
            int is_narrow = p.high - p.low < 1e-14 * (fabs(p.low) + fabs(p.high));
            if (difference <= tolerance || waiting + 2 > DEPTH || is_narrow || sum.calls >= most) {
                sum.value += value;
                sum.error += difference;
            } else {
                left[waiting++] = (panel){middle, p.high};
                left[waiting++] = (panel){p.low, middle};
            }
        }
    }
    return sum;
}
